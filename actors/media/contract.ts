/** What is known of a file, besides its content. */
export interface MediaFacts {
  /** SHA-256 of the content, lower-case hexadecimal. */
  sha256: string;
  bytes: number;
  /** What its first bytes say it is; `application/octet-stream` where they say nothing. */
  type: string;
  /** As who gave it calls it; without folders. */
  name: string;
}

/** The commands of a file: type → body and result. */
export type MediaCommands = {
  /** It lies in the media folder, for good. The same content again keeps the first name. */
  'media.store': { body: MediaFacts; result: null };
};
