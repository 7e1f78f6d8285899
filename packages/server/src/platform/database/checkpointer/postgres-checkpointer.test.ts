import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { describe } from 'vitest';
import { openDatabase } from '../open.ts';
import { checkpointerConformance } from './checkpointer-conformance.ts';

const { title, isSkipped, createDatabase } = testPostgres('Postgres');

describe.skipIf(isSkipped)(title, () => {
  checkpointerConformance('as any database', async () =>
    openDatabase(patientPostgres(await createDatabase(), 4)),
  );
});
