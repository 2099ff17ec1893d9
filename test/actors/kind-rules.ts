import type { AnyStateNode } from 'xstate';
import { type MachineId, registry } from '#machines/registry.ts';
import { eventTypes } from '#actors/representation.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import type { Connection } from '#actors/store/database.ts';
import type { TableShape } from '#actors/store/table.ts';
import { runtimeTables } from '#actors/store/tables.ts';

interface Column {
  name: string;
  type: string;
  pk: number;
}

const actorColumns = [
  ...['key', 'id', 'revision', 'seq', 'turns', 'last_turn', 'skip_turn', 'chain'],
  ...['machine_version', 'value', 'context'],
];

const columnsOf = (db: Connection, table: string): Column[] =>
  db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table) as Column[];

const tablesOf = ({ table, tables = [] }: AnyKind): readonly TableShape[] => [table, ...tables];

const same = (a: readonly string[], b: readonly string[]): boolean => [...a].sort().join() === [...b].sort().join();

/** What a kind's declaration and the schema of a file say against each other, and what the compiler can not see. */
export function problemsOf(kind: AnyKind, db: Connection, periods: readonly string[]): string[] {
  const problems: string[] = [];
  const own = columnsOf(db, kind.table.name).map(({ name }) => name);
  if (own.slice(0, actorColumns.length).join() !== actorColumns.join()) problems.push('its table has no actors');
  else if (!same(own.slice(actorColumns.length), Object.keys(kind.blank))) problems.push('blank has other columns');
  else if (!isUnique(db, kind.table.name, 'id')) problems.push('two of its actors may have one id');
  for (const { name, uuids } of tablesOf(kind)) problems.push(...tableProblems(columnsOf(db, name), name, uuids));
  for (const { machine, table, column } of kind.owned ?? []) {
    const known = tablesOf(kind).includes(table) && columnsOf(db, table.name).some(({ name }) => name === column);
    if (!known || !Object.hasOwn(registry, machine)) problems.push(`nothing has the machine ${machine}`);
    // Without it a timer would step the actor's own machine.
    else if (waits(machine) && kind.onTimer === undefined) problems.push(`nobody takes the timers of ${machine}`);
  }
  const commands = Object.keys(kind.handlers);
  const { pruning, recognised = {} } = kind;
  const named = [...Object.keys(recognised), ...(pruning ? [pruning.command] : [])];
  problems.push(...named.filter((type) => !commands.includes(type)).map((type) => `it has no command ${type}`));
  if (pruning && !periods.includes(pruning.period)) problems.push(`nobody says how long ${pruning.period} is`);
  const rendered = Object.keys(kind.renderers?.(db) ?? {});
  const types: readonly string[] = eventTypes;
  problems.push(...rendered.filter((type) => !types.includes(type)).map((type) => `there is no event ${type}`));
  return problems.map((problem) => `${kind.name}: ${problem}`);
}

/** Whether an index keeps a column from holding a value twice. */
const isUnique = (db: Connection, table: string, column: string): boolean =>
  db
    .prepare(
      `SELECT group_concat(i.name) FROM pragma_index_list(?) l, pragma_index_info(l.name) i
       WHERE l."unique" = 1 AND l.partial = 0 GROUP BY l.name`,
    )
    .pluck()
    .all(table)
    .includes(column);

/** Whether a machine has waits, which become timers. */
function waits(machine: MachineId): boolean {
  const hasWait = (node: AnyStateNode): boolean =>
    [...node.transitions.keys()].some((type) => type.startsWith('xstate.after.')) ||
    Object.values(node.states).some(hasWait);
  return hasWait(registry[machine].machine.root);
}

function tableProblems(columns: Column[], table: string, uuids: readonly string[]): string[] {
  const [key] = columns;
  if (key?.name !== 'key' || key.type !== 'INTEGER' || key.pk !== 1) return [`${table} has no integer key`];
  const blobs = columns.filter(({ type }) => type === 'BLOB').map(({ name }) => name);
  return same(blobs, uuids) ? [] : [`${table} holds other ids`];
}

/** What kinds say against each other. */
export function problemsBetween(kinds: readonly AnyKind[], db: Connection): string[] {
  const declared = [...runtimeTables, ...kinds.flatMap(tablesOf)].map(({ name }) => name);
  const there = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const strays = there.filter((name) => !['meta', 'shard', ...declared].includes(name));
  const readers = kinds.flatMap(({ readers: own }) => Object.keys(own ?? {}));
  return [
    ...strays.map((table) => `nobody declares ${table}`),
    ...twice(kinds.map(({ name }) => name)).map((name) => `two kinds are called ${name}`),
    ...twice(declared).map((table) => `two declare ${table}`),
    ...twice([...readers, 'deadLetters', 'feed', 'outbox']).map((name) => `two readers are called ${name}`),
    ...(kinds.filter(({ followed }) => followed).length > 1 ? ['two kinds can be followed'] : []),
  ];
}

const twice = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);
