import { expect, it } from 'vitest';
import { noteStatements } from '../../../testing/noted-statements.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { WorkflowRecordStore } from './workflow-record-store.ts';

it('reads the figures of workflows from indexes, whatever else their owners have made', async () => {
  const opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'dispatch', dispatchMigrations);
  const noted = noteStatements(opened.withTables<DispatchTables>());
  await new WorkflowRecordStore(noted.database).of(['one', 'two']);
  const [plan = '', ...others] = await noted.plans('explain query plan');
  expect(others).toEqual([]);
  const reads = [...plan.matchAll(/(?:SEARCH|SCAN) (?:tasks|files)[^"]*/g)].map(([read]) => read);
  expect(reads).toEqual([
    'SEARCH tasks USING COVERING INDEX tasks_of_workflow (workflowId=?)',
    'SEARCH tasks USING COVERING INDEX tasks_of_workflow (workflowId=?)',
    'SEARCH files USING COVERING INDEX sqlite_autoindex_files_1 (id=?)',
    'SEARCH files USING INDEX files_workflow (workflowId=?)',
  ]);
  await opened.close();
});
