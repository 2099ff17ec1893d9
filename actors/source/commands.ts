import { type CommandHandler, defineActor, type Runtime } from '../runtime/definition.ts';
import { Failure } from '../errors.ts';
import type { Rows } from '../store/tables.ts';
import type { SourceCommands } from './contract.ts';
import { sourceJson } from './representation.ts';

interface SourceMemory {
  row: Rows['source'] | null;
}

type Handlers = {
  [T in keyof SourceCommands]: CommandHandler<SourceMemory, SourceCommands[T]['body'], SourceCommands[T]['result']>;
};

const handlers: Handlers = {
  'source.create'(runtime, body) {
    const before = runtime.memory.row;
    if (before !== null && before.deleted === 0) {
      throw new Failure('source_exists', `There is a source ${body.sourceId} already.`);
    }
    const row: Rows['source'] = {
      key: runtime.actor.key,
      source_id: body.sourceId,
      action_endpoint: body.actionEndpoint ?? null,
      name: body.name ?? null,
      image_url: body.imageUrl ?? null,
      // A token names its second of issue: that of a source created anew must differ from the deleted one's.
      issued_at: Math.max(Math.floor(runtime.now / 1000), (before?.issued_at ?? 0) + 1),
      deleted: 0,
    };
    if (before === null) runtime.change({ table: 'source', op: 'insert', row });
    else runtime.change({ table: 'source', op: 'update', key: row.key, row });
    runtime.memory.row = { ...row };
    return { source: sourceJson(row), issuedAt: row.issued_at };
  },

  'source.update'(runtime, body) {
    const row = existing(runtime);
    save(runtime, row, {
      action_endpoint: body.actionEndpoint ?? row.action_endpoint,
      name: body.name ?? row.name,
      image_url: body.imageUrl ?? row.image_url,
    });
    return { source: sourceJson(row) };
  },

  'source.delete'(runtime) {
    save(runtime, existing(runtime), { deleted: 1 });
    return null;
  },

  'metadata.park'(runtime, { items }) {
    const row = existing(runtime);
    for (const item of items) {
      runtime.change({
        table: 'parked_metadata',
        op: 'insert',
        row: {
          key: runtime.nextKey(),
          source_id: row.source_id,
          namespace: item.namespace,
          target: item.sourceId,
          metadata: JSON.stringify(item.metadata),
          at: runtime.now,
        },
      });
    }
    return null;
  },

  'metadata.unpark'(runtime, { keys }) {
    for (const key of keys) runtime.change({ table: 'parked_metadata', op: 'delete', key });
    return null;
  },
};

/** @throws Failure `not_found` for sources that were never created, or deleted */
function existing(runtime: Runtime<SourceMemory>): Rows['source'] {
  const { row } = runtime.memory;
  if (row === null || row.deleted === 1) throw new Failure('not_found', 'There is no such source.');
  return row;
}

function save(runtime: Runtime<SourceMemory>, row: Rows['source'], columns: Partial<Rows['source']>): void {
  Object.assign(row, columns);
  runtime.change({ table: 'source', op: 'update', key: row.key, row: columns });
}

/** A registered custom source. It owns the metadata that waits for its conversations and messages to appear. */
export const sourceDefinition = defineActor<SourceMemory>({
  kind: 'source',
  machine: null,
  load: (reads, key) => ({ row: reads.source(key) }),
  handlers,
});
