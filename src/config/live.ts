import { isDeepStrictEqual } from 'node:util';
import type { StoredComponent } from '#actors/component/reader.ts';
import type { Cancel } from '#actors/ports.ts';
import { type Component, componentsOf, effectiveConfig } from './components.ts';
import type { Config } from './config.ts';

/** Whose commands change the configuration that counts. */
export const configuringKind = 'component';

/** The configuration that counts now: the file's, with what is stored of components laid over it. */
export class LiveConfig {
  /** What components decide changes in it as they do; whoever reads it when it is needed sees what is so by then. */
  readonly config: Config;
  readonly #file: Config;
  readonly #read: () => StoredComponent[];
  readonly #listeners = new Set<() => void>();
  #stored: readonly StoredComponent[];
  #components: readonly Component[];
  #effective: ReturnType<typeof effectiveConfig>;

  /** @param stored reads what is stored of components */
  constructor(file: Config, stored: () => StoredComponent[]) {
    this.#file = file;
    this.#read = stored;
    this.#stored = stored();
    this.#components = componentsOf(file, this.#stored);
    this.#effective = effectiveConfig(this.#components);
    const effective = () => this.#effective;
    this.config = {
      ...file,
      get integration() {
        return effective().integration;
      },
      get components() {
        return effective().components;
      },
    };
  }

  /** Every component of the catalogue, as it is now. */
  get components(): readonly Component[] {
    return this.#components;
  }

  /** Looks whether something else is stored by now. Who listens is told only then. */
  refresh(): void {
    const stored = this.#read();
    if (isDeepStrictEqual(stored, this.#stored)) return;
    this.#stored = stored;
    this.#components = componentsOf(this.#file, stored);
    this.#effective = effectiveConfig(this.#components);
    for (const changed of this.#listeners) changed();
  }

  /** Calls `changed` after every change. */
  onChange(changed: () => void): Cancel {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
}
