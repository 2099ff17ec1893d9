/**
 * One kind of request. `{n}` in `item` becomes a number that no other request of the run has (12 digits), `{now}` epoch
 * ms (13 digits), `{value}` one of `values`, the same in all of the item. All values have one length, so that every request has the same size and
 * its head is built once.
 */
export interface RequestTemplate {
  path: string;
  headers: Record<string, string>;
  /** What stands before, between and behind the items of a body. */
  body: { head: string; item: string; separator: string; tail: string };
  itemsPerRequest: number;
  values: string[];
  /** `random`: each item takes any value; `in-turn`: the items walk through the values, round and round. */
  pick: 'random' | 'in-turn';
}

/** What one run of the load generator does. */
export interface LoadOptions {
  url: string;
  request: RequestTemplate;
  connections: number;
  /** Time before anything is counted, in s. */
  warmUp: number;
  /** `requests`: exactly so many, as fast as they are answered. */
  until: { seconds: number } | { requests: number };
  /** Requests per second whatever the answers do (open loop); absent: each connection asks again once it is answered. */
  rate?: number;
  /** First value of `{n}`: runs against the same server must not overlap. */
  firstNumber: number;
}

/** What a run of the load generator saw after its warm-up. Latencies in ms; at a fixed rate from the planned time. */
export interface LoadReport {
  requests: number;
  seconds: number;
  perSecond: number;
  latency: { p50: number; p99: number; max: number };
  /** HTTP status → answers; 0: no answer. */
  statuses: Record<string, number>;
  /** The first answer that was no 2xx, shortened. */
  failure: string | null;
  /** Processor time that the generator itself took. */
  cpuSeconds: number;
}
