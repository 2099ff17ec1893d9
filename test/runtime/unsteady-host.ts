/** What the thread of an unsteady host is told: to hang until it is woken, or to die. */
export type Order = { hangOn: Int32Array<SharedArrayBuffer> } | 'die';

/** Name of the channel on which it is told. */
export const orders = 'unsteady host';

/** What the thread runs. */
export const program = new URL('./unsteady-host-worker.ts', import.meta.url);
