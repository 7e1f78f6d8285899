import { useMemo } from 'react';
import { Page } from '../../kit/page.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { RunView } from './detail/run-view.tsx';
import { ImportButton } from './import-button.tsx';
import { runTitle } from './run-title.ts';
import { useOpenedRun } from './source/opened-file.ts';
import { sourceOfFile } from './source/run-source.ts';

/** A run from a file, in the same viewer. Nothing of it is asked of the gateway or sent to it. */
export function RunFilePage() {
  const text = useText('runs');
  const format = useFormat();
  const file = useOpenedRun();
  const source = useMemo(() => (file ? sourceOfFile(file) : null), [file]);
  return (
    <Page
      title={(source && runTitle(source.run)) ?? text('file.title')}
      lead={file ? text('file.lead', { at: format.dateTime(new Date(file.exported_at)) }) : null}
      actions={<ImportButton />}
    >
      {source ? (
        <RunView source={source} path="/runs/file" />
      ) : (
        <EmptyState title={text('file.none')} command="switchyard runs export THREAD RUN > run.json">
          {text('file.noneHelp')}
        </EmptyState>
      )}
    </Page>
  );
}
