import { ApiError } from '@switchyard/client/errors';
import {
  deleteCustomSkill,
  getSkillHistory,
  rollBackSkill,
  type Skill,
  type SkillChange,
  updateCustomSkill,
} from '@switchyard/contract/conversation/skill';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { type ReadSkill, skillsKey, skillTextQuery } from './skills-query.ts';

/** The status of the answer when the text has changed since it was read. */
const changedMeanwhile = 412;

/** One skill, with its text for agents. */
export function SkillPanel({ skill }: { skill: Skill | undefined }) {
  const [, navigate] = useLocation();
  return (
    <SidePanel open={skill !== undefined} onClose={() => navigate('/skills')} title={skill?.name ?? ''}>
      {skill && <Details skill={skill} />}
    </SidePanel>
  );
}

function Details({ skill }: { skill: Skill }) {
  const text = useText('skills');
  const rows = [
    [text('column.license'), skill.license ?? blank],
    [text('column.tools'), skill.allowed_tools?.join(', ') ?? text('allTools')],
  ];
  return (
    <div className="flex flex-col gap-3 text-body">
      <p className="break-words">{skill.description}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-table">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-text-2">{label}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {skill.category === 'custom' ? (
        <CustomText skill={skill} />
      ) : (
        <p className="text-table text-text-2">{text('shipped')}</p>
      )}
    </div>
  );
}

function CustomText({ skill }: { skill: Skill }) {
  const text = useText('skills');
  const { isAdmin } = useSession();
  const [isEditing, setEditing] = useState(false);
  const content = useQuery(skillTextQuery(skill.name));
  return (
    <QueryView query={content}>
      {(loaded) => (
        <div className="flex flex-col gap-3">
          {isAdmin && skill.editable && (
            <div className="flex gap-2">
              <Button size="s" onClick={() => setEditing(true)}>
                {text('edit.open')}
              </Button>
              <DeleteSkill name={skill.name} />
            </div>
          )}
          <pre className="overflow-x-auto rounded-control border border-border bg-sunken p-3 font-mono text-table break-words whitespace-pre-wrap">
            {loaded.content}
          </pre>
          {isAdmin ? <SkillHistory name={skill.name} /> : null}
          {isEditing && <EditSkill name={skill.name} read={loaded} onClose={() => setEditing(false)} />}
        </div>
      )}
    </QueryView>
  );
}

/** Deletes a custom skill with its files, after a question. */
function DeleteSkill({ name }: { name: string }) {
  const text = useText('skills');
  const [, navigate] = useLocation();
  return (
    <ConfirmedButton
      variant="danger"
      question={{
        title: text('delete.title', { name }),
        effect: text('delete.effect'),
        confirm: text('delete.confirm'),
      }}
      work={() => gateway.call(deleteCustomSkill, { params: { skill_name: name } })}
      done={text('delete.done', { name })}
      refresh={skillsKey}
      onDone={() => navigate('/skills')}
    >
      {text('delete.open')}
    </ConfirmedButton>
  );
}

/** Changes the text of a skill. A text that somebody else has changed meanwhile is not overwritten. */
function EditSkill({ name, read, onClose }: { name: string; read: ReadSkill; onClose: () => void }) {
  const text = useText('skills');
  const queries = useQueryClient();
  // The page may read the text again, but a save refers to the text with which editing began.
  const [{ etag }] = useState(read);
  const [content, setContent] = useState(read.content);
  const save = async () => {
    const headers = etag === null ? {} : { 'if-match': etag };
    await gateway
      .call(updateCustomSkill, { params: { skill_name: name }, headers, body: { content } })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === changedMeanwhile)
          throw new Error(text('edit.changed'));
        throw error;
      });
    await queries.invalidateQueries({ queryKey: skillsKey });
  };
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={text('edit.title', { name })}
      submit={text('edit.submit')}
      onSubmit={save}
      disabled={content.trim() === ''}
    >
      <Field label="SKILL.md" hint={text('edit.hint')}>
        <TextArea
          rows={18}
          spellCheck={false}
          className="font-mono"
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

/** The changes of a skill, the newest first. The text from before each change can be put back. */
function SkillHistory({ name }: { name: string }) {
  const text = useText('skills');
  const history = useQuery({
    queryKey: [...skillsKey, 'history', name],
    queryFn: ({ signal }) => gateway.call(getSkillHistory, { params: { skill_name: name }, signal }),
  });
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-body font-semibold">{text('history.title')}</h3>
      <QueryView query={history}>
        {({ history: changes }) =>
          changes.length === 0 ? (
            <p className="text-table text-text-2">{text('history.none')}</p>
          ) : (
            <ol className="flex flex-col">
              {newestFirst(changes).map(({ id, change, place }) => (
                <Change key={id} name={name} change={change} place={place} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </section>
  );
}

/** The gateway counts the places of changes from the newest, which is -1. */
function newestFirst(changes: readonly SkillChange[]) {
  return changes
    .map((change, at) => ({ id: `${change.ts} ${at}`, change, place: at - changes.length }))
    .toReversed();
}

function Change({ name, change, place }: { name: string; change: SkillChange; place: number }) {
  const text = useText('skills');
  const format = useFormat();
  const { act } = useAct();
  const { action, ts, prev_content: before } = change;
  const when = format.dateTime(new Date(ts));
  const putBack = () =>
    act(() => gateway.call(rollBackSkill, { params: { skill_name: name }, body: { history_index: place } }), {
      done: text('history.done'),
      refresh: [skillsKey],
    });
  return (
    <li className="flex items-center justify-between gap-3 border-t border-border py-2 text-table">
      <span>
        {text(`history.${action}`)} <span className="text-text-2">{when}</span>
      </span>
      {before === null ? null : (
        <Button size="s" aria-label={text('history.putBackOf', { when })} onClick={() => void putBack()}>
          {text('history.putBack')}
        </Button>
      )}
    </li>
  );
}
