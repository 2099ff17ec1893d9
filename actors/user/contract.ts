/** Who a user is, in the words of the identity provider. */
export interface UserProfile {
  /** `<provider>:<user id>`: what the actor's id follows from. */
  userId: string;
  name?: string;
  avatarUrl?: string;
}

/** The commands of a user: type → body and result. Each of them means that the user was seen. */
export type UserCommands = {
  /** What the provider says by now; what it leaves out is forgotten. */
  'user.log-in': { body: UserProfile; result: null };
  /** They called. Told now and then, not each time. */
  'user.note-call': { body: null; result: null };
};
