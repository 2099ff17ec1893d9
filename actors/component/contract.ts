import type { JsonObject } from '../representation.ts';

/** What every command of a component says of it: an actor knows neither the catalogue nor the configuration file. */
export interface Named {
  /** In the catalogue. */
  name: string;
  /** Whether the configuration file has it on: what an actor starts from that nobody has told anything. */
  inFile: boolean;
}

/** A configuration, in the words of the file. */
export interface Configured {
  /** JSON text of all of it. One text, whose name says what it holds: lists of dead letters mask it. */
  secret: string;
  /** The same as everybody may see it: its secrets are masked. */
  shown: JsonObject;
}

/** The commands of a component: type → body and result. */
export type ComponentCommands = {
  /** It is `pending` until the running hub has started it. One that is installed stays as it is. */
  'component.install': { body: Named; result: null };
  /** It is `pending` until the running hub has stopped it. Its configuration stays. */
  'component.uninstall': { body: Named; result: null };
  /** Switches an installed one on or off; a configuration that is given replaces the one before. @throws Failure `not_found` */
  'component.update': { body: Named & { enabled: boolean; configuration?: Configured }; result: null };
  /** Forgets its configuration, and switches it off with that. */
  'component.delete': { body: Named; result: null };
  /** The running hub has done what the effect asked for; one that another has taken the place of is over. */
  'component.followed': { body: { effectId: string }; result: null };
};
