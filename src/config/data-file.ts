import { join, resolve } from 'node:path';
import type { Config } from './config.ts';

/** The file that holds everything. */
export const dataFileOf = ({ data }: Pick<Config, 'data'>): string => join(resolve(data.dir), 'parley.db');
