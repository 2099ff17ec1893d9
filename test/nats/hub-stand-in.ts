import { startNatsServer } from '#src/nats/server.ts';

/** Runs the server as the hub does and tells its process id, so that a test can kill this process. */
const [binary = '', confFile = '', stateDir = ''] = process.argv.slice(2);
const quiet = { info() {}, warn() {}, error() {} };
const server = await startNatsServer({ binary, confFile, stateDir, log: quiet });
console.log(server.pid);
