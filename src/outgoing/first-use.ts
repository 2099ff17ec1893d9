/** What is made, and its program loaded, when somebody uses it first. */
export interface FirstUse<T> {
  get(): Promise<T>;
  /** Null: nobody has used it. */
  made(): Promise<T> | null;
}

/** @param make called once */
export function onFirstUse<T>(make: () => Promise<T>): FirstUse<T> {
  let made: Promise<T> | null = null;
  return {
    get() {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}
