import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll } from 'vitest';
import { checkpointerConformance } from '../../../testing/checkpointer-conformance.ts';
import { openDatabase } from '../../platform/database/open.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

let opened = 0;
checkpointerConformance('sqlite', () => {
  opened += 1;
  return openDatabase({ backend: 'sqlite', file: join(folder.path, `${opened}.db`) });
});
