/** The commands of a session: type → body and result. */
export type SessionCommands = {
  /** `hash`: of the cookie's text, which the hub does not keep. `user`: the id of its actor. */
  'session.start': { body: { hash: string; user: string; expiresAt: number }; result: null };
  /** It opens nothing from now on; again: nothing changes. @throws Failure `not_found` */
  'session.end': { body: null; result: null };
};
