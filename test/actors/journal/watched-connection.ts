import type { Connection, Statement } from '#actors/store/database.ts';

/** A connection that tells of each statement that is run. */
export function watchedConnection(db: Connection, ran: (sql: string) => void): Connection {
  const watched = (statement: Statement, sql: string): Statement =>
    new Proxy(statement, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name === 'get' || name === 'all') ran(sql);
        return (...parameters: unknown[]) => {
          const result: unknown = member.apply(target, parameters);
          // `pluck` and the like return the statement itself.
          return result === target ? watched(target, sql) : result;
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'prepare') return (sql: string) => watched(target.prepare(sql), sql);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
