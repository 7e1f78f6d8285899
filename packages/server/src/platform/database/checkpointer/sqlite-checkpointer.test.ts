import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll } from 'vitest';
import { openDatabase } from '../open.ts';
import { checkpointerConformance } from './checkpointer-conformance.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

checkpointerConformance('sqlite', () =>
  openDatabase({ backend: 'sqlite', file: join(folder.path, 'switchyard.db') }),
);
