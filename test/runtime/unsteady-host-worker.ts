import { BroadcastChannel } from 'node:worker_threads';
import '#src/runtime/host-worker.ts';
import { orders, type Order } from './unsteady-host.ts';

/** The host's thread, which can be made to hang or to die. */
const channel = new BroadcastChannel(orders);
channel.onmessage = (message: unknown) => {
  const { data } = message as { data: Order };
  if (data === 'die') process.exit(3);
  Atomics.wait(data.hangOn, 0, 0);
};
channel.unref();
