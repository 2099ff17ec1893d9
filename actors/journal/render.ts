import type { EventSubject, EventType } from '../representation.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { uuidFromBytes } from '../uuid.ts';
import type { EventRenderer, Renderer } from './turn.ts';

interface RendererOfKind {
  idOf(key: number): string;
  renderers: Partial<Record<EventType, EventRenderer>>;
}

/** Ids of actors that are remembered: they never change. */
const remembered = 10_000;

/** Makes payloads of what turns kept of their events. */
export interface Rendering {
  render: Renderer;
  /** Forgets the rows that events refer to: they change only when something of them is erased. */
  forget(): void;
}

export function renderingOf(db: Connection, kinds: readonly AnyKind[]): Rendering {
  const make = (): Map<string, RendererOfKind> =>
    new Map(kinds.map((kind) => [kind.name, { idOf: idsOf(db, kind), renderers: kind.renderers?.(db) ?? {} }]));
  let byKind = make();
  return {
    render(name, key, { type, data }) {
      const { idOf, renderers } = byKind.get(name)!;
      const id = idOf(key);
      const render = renderers[type];
      const subject = { type: name as EventSubject['type'], id };
      return { payload: render === undefined ? JSON.stringify(data) : render(data, { key, id }), subject };
    },
    forget() {
      byKind = make();
    },
  };
}

function idsOf(db: Connection, { table }: AnyKind): (key: number) => string {
  const statement = db.prepare(`SELECT id FROM ${table.name} WHERE key = ?`).pluck();
  const known = new Map<number, string>();
  return (key) => {
    let id = known.get(key);
    if (id === undefined) {
      const bytes = statement.get(key) as Uint8Array | undefined;
      id = bytes === undefined ? '' : uuidFromBytes(bytes);
      if (known.size >= remembered) known.clear();
      known.set(key, id);
    }
    return id;
  };
}
