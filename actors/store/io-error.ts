/** What SQLite says about a statement or its values, whatever the state of the disk. */
const statementErrors = /^SQLITE_(CONSTRAINT|MISMATCH|ERROR|RANGE|TOOBIG|MISUSE)/;

/** Whether the store itself failed (disk full, I/O, locked), as against a statement: then no command can be trusted. */
export function isIoError(error: unknown): boolean {
  return isOfStore(error) && !statementErrors.test((error as { code: string }).code);
}

/** Whether it was SQLite that refused. */
export function isOfStore(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_');
}
