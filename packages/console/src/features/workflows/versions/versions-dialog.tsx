import {
  compareWorkflowVersions,
  noteWorkflowVersion,
  type SavedWorkflowDetail,
  type SavedWorkflowVersion,
  updateWorkflow,
  type VersionDifference,
} from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { reasonSentences } from '../../../kit/obstacles/obstacle-sentences.ts';
import { ReasonTexts } from '../../../kit/obstacles/reason-text.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { workflowOutlookQuery } from '../../../lib/data/workflow-outlook.ts';
import { workflowVersionsQuery } from '../../../lib/data/workflows.ts';
import { blank } from '../../../lib/format/format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

/** The versions of a workflow with their notes: what changed with each, where it runs, and the way back to it. */
export function VersionsDialog({
  workflow,
  onClose,
}: {
  workflow: SavedWorkflowDetail;
  onClose: () => void;
}) {
  const text = useText('workflows');
  const query = useQuery(workflowVersionsQuery(workflow.id));
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <Dialog open wide onClose={onClose} title={text('versions.title', { name: workflow.name })}>
      <QueryView query={query}>
        {(versions) => (
          <ol className="flex flex-col">
            {versions.map((version, index) => (
              <VersionRow
                key={version.version}
                workflowId={workflow.id}
                version={version}
                newest={versions[0]?.version ?? version.version}
                before={versions[index + 1]?.version}
                isOpen={opened === version.version}
                onToggle={() => setOpened(opened === version.version ? null : version.version)}
                onClose={onClose}
              />
            ))}
          </ol>
        )}
      </QueryView>
    </Dialog>
  );
}

interface VersionRowProps {
  workflowId: string;
  version: SavedWorkflowVersion;
  newest: number;
  before: number | undefined;
  isOpen: boolean;
  onToggle: () => void;
  onClose: () => void;
}

function VersionRow(props: VersionRowProps) {
  const { workflowId, version: stored, newest, before, isOpen, onToggle, onClose } = props;
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const { version, notes, createdAt } = stored;
  const [typed, setTyped] = useState<string | null>(null);
  const note = () =>
    act(
      () =>
        gateway.call(noteWorkflowVersion, { params: { workflowId, version }, body: { notes: typed ?? '' } }),
      { done: text('versions.noted', { version }), refresh: [keys.workflows], onDone: () => setTyped(null) },
    );
  const restore = () =>
    act(
      () =>
        gateway.call(updateWorkflow, {
          params: { workflowId },
          body: { restore: version, version: newest, notes: text('versions.restoredFrom', { version }) },
        }),
      {
        done: (made) => ({ text: text('version.restored', { version, newest: made.version }) }),
        refresh: [keys.workflows],
        onDone: onClose,
      },
    );
  return (
    <li className="flex min-w-0 flex-col gap-2 border-t border-border py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="text-body font-semibold">
          {text(version === newest ? 'version.newest' : 'versions.one', { version })}
        </h3>
        <span className="text-table text-text-2">
          <TimeAgo at={createdAt} />
        </span>
        <span className="flex flex-1 flex-wrap justify-end gap-2">
          <Button size="s" aria-expanded={isOpen} onClick={onToggle}>
            {text('versions.changes')}
          </Button>
          {version === newest ? null : (
            <>
              <LinkButton size="s" href={`/workflows/${workflowId}?version=${version}`}>
                {text('versions.open')}
              </LinkButton>
              <Button size="s" isBusy={isBusy} onClick={() => void restore()}>
                {text('versions.restore')}
              </Button>
            </>
          )}
        </span>
      </div>
      {typed === null ? (
        <div className="flex items-baseline gap-2">
          <p className="min-w-0 flex-1 text-body break-words whitespace-pre-wrap text-text-2">
            {notes || text('versions.noNotes')}
          </p>
          <Button size="s" variant="plain" onClick={() => setTyped(notes)}>
            {text(notes ? 'versions.editNotes' : 'versions.addNotes')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <TextArea
            aria-label={text('versions.notesOf', { version })}
            rows={2}
            maxLength={1_000}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <div className="flex gap-2">
            <Button size="s" variant="solid" isBusy={isBusy} onClick={() => void note()}>
              {text('versions.saveNotes')}
            </Button>
            <Button size="s" onClick={() => setTyped(null)}>
              {text('form.cancel')}
            </Button>
          </div>
        </div>
      )}
      {isOpen ? (
        <div className="flex flex-col gap-3">
          <Outlook workflowId={workflowId} version={version} />
          {before === undefined ? (
            <p className="text-table text-text-2">{text('versions.first')}</p>
          ) : (
            <Differences workflowId={workflowId} left={before} right={version} />
          )}
        </div>
      ) : null}
    </li>
  );
}

/** Where the version could run with its own values, and what the other workers lack. */
function Outlook({ workflowId, version }: { workflowId: string; version: number }) {
  const text = useText('workflows');
  const { data: outlook } = useQuery(workflowOutlookQuery(workflowId, version, {}));
  if (!outlook) return null;
  const others = outlook.instances.filter(({ couldRun }) => !couldRun);
  return (
    <div className="flex flex-col gap-1">
      <StatusWord kind={outlook.totals.couldRun > 0 ? 'done' : 'failed'}>
        {text('outlook.places', { able: outlook.totals.couldRun, count: outlook.totals.instances })}
      </StatusWord>
      <ul className="flex max-h-32 flex-col gap-1 overflow-y-auto text-table text-text-2 empty:hidden">
        {others.map((instance) => (
          <li key={instance.instanceId} className="break-words">
            <ReasonTexts reasons={reasonSentences(instance)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Differences({ workflowId, left, right }: { workflowId: string; left: number; right: number }) {
  const text = useText('workflows');
  const query = useQuery({
    queryKey: [...keys.workflows, 'one', workflowId, 'difference', left, right],
    queryFn: ({ signal }) =>
      gateway.call(compareWorkflowVersions, { params: { workflowId }, query: { left, right }, signal }),
  });
  return (
    <QueryView query={query}>
      {({ differences, isCut }) =>
        differences.length === 0 ? (
          <p className="text-table text-text-2">{text('versions.same', { left })}</p>
        ) : (
          <table className="w-full table-fixed text-table">
            <caption className="pb-1 text-left font-medium">
              {text('versions.differences', { left, count: differences.length, more: isCut ? 'yes' : 'no' })}
            </caption>
            <thead>
              <tr className="text-left text-text-2">
                <th className="py-1 pr-2 font-medium">{text('versions.field')}</th>
                <th className="py-1 pr-2 font-medium">{text('versions.before')}</th>
                <th className="py-1 font-medium">{text('versions.after')}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map((difference) => (
                <Difference
                  key={JSON.stringify([difference.part, difference.title, difference.field, difference.left])}
                  {...difference}
                />
              ))}
            </tbody>
          </table>
        )
      }
    </QueryView>
  );
}

const properties = ['name', 'label', 'description', 'hidden', 'pinned', 'order'] as const;

function Difference({ part, title, field, left, right }: VersionDifference['differences'][number]) {
  const text = useText('workflows');
  const property = properties.find((each) => part === 'form' && each === field);
  return (
    <tr className="border-t border-border align-top">
      <td className="py-1 pr-2 break-words">
        {title ? <span className="font-medium">{title}</span> : null}{' '}
        <span className="text-text-2">
          {property
            ? text(`versions.property.${property}`)
            : field === '_meta.title'
              ? text('versions.nodeTitle')
              : field}
        </span>
      </td>
      <td className="py-1 pr-2 break-words">
        <Shown value={left} />
      </td>
      <td className="py-1 break-words">
        <Shown value={right} />
      </td>
    </tr>
  );
}

function Shown({ value }: { value: unknown }) {
  const text = useText('workflows');
  if (value === undefined || value === null || value === '') return blank;
  if (typeof value === 'boolean') return text(value ? 'versions.yes' : 'versions.no');
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
