import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { describe } from 'vitest';
import { checkpointerConformance } from '../../../testing/checkpointer-conformance.ts';
import { openDatabase } from '../../platform/database/open.ts';

const { title, isSkipped, createDatabase } = testPostgres('Postgres');

describe.skipIf(isSkipped)(title, () => {
  checkpointerConformance('as any database', async () =>
    openDatabase(patientPostgres(await createDatabase(), 4)),
  );
});
