import type { SourceTraits } from '#src/ingest/messages.ts';
import type { Connectors } from './registry.ts';

/** What the hub does for the messages of a source, by what its connector can. @param copiesMedia whether files are copied */
export function traitsOf(connectors: Pick<Connectors, 'of'>, source: string, copiesMedia: boolean): SourceTraits {
  const { windows, profiles, media } = connectors.of({ source }) ?? {};
  const window = windows?.[source]?.length;
  return {
    ...(window !== undefined && { window }),
    profiles: profiles !== undefined,
    hasMedia: (content) => copiesMedia && media !== undefined && media.locate(content).length > 0,
  };
}
