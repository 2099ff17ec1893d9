import { Failure } from '#actors/errors.ts';

/** The code of the failure that the work ends with, `none` without one. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}
