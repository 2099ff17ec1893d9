/** A source that can be simulated. */
export interface SimulatedSource {
  source: string;
  /** Where the hub's configuration has its credentials: below `components.sources`. */
  component: 'pageplatform' | 'cloudmsg' | 'bizmaps' | 'telco';
  /** Where its double listens, unless it is told. */
  port: number;
}

/** Every source that has a double: a list by itself, as the doubles are loaded when one is asked for. */
export const simulatedSources: readonly SimulatedSource[] = [
  { source: 'pageplatform', component: 'pageplatform', port: 4010 },
  { source: 'photoplatform', component: 'pageplatform', port: 4010 },
  { source: 'cloudmsg', component: 'cloudmsg', port: 4011 },
  { source: 'bizmaps', component: 'bizmaps', port: 4012 },
  { source: 'telco.sms', component: 'telco', port: 4013 },
  { source: 'telco.cloudmsg', component: 'telco', port: 4013 },
];
