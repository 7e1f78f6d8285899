import {
  installSkill,
  type Skill,
  type SkillList,
  switchSkill,
} from '@switchyard/contract/conversation/skill';
import { createThread, deleteThread } from '@switchyard/contract/conversation/threads';
import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { useParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { Switch } from '../../kit/switch.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { uploadToThread } from '../../lib/thread-files.ts';
import { SkillPanel } from './skill-panel.tsx';
import { skillsKey, skillsQuery } from './skills-query.ts';

/** Ways of working that agents read when a task fits. */
export function SkillsPage() {
  const text = useText('skills');
  const { name } = useParams<{ name?: string }>();
  const { isAdmin } = useSession();
  const skills = useQuery(skillsQuery);
  return (
    <Page
      title={text('title')}
      lead={text(isAdmin ? 'lead' : 'leadUser')}
      actions={isAdmin && <InstallSkill />}
    >
      <QueryView
        query={skills}
        isEmpty={(list) => list.skills.length === 0 && list.broken.length === 0}
        first={<EmptyState title={text('first.title')}>{text('first.cause')}</EmptyState>}
      >
        {(list) => <Lists list={list} />}
      </QueryView>
      <SkillPanel skill={skills.data?.skills.find((skill) => skill.name === name)} />
    </Page>
  );
}

/** Installs a skill from a file of this machine. */
function InstallSkill() {
  const text = useText('skills');
  const { act } = useAct();
  const input = useRef<HTMLInputElement>(null);
  const install = async (file: File) => {
    await act(() => uploadSkill(file, text('install.unsafeName', { name: file.name })), {
      done: text('install.done', { name: file.name }),
      refresh: [skillsKey],
    });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".skill"
        hidden
        aria-label={text('install.open')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void install(file);
          target.value = '';
        }}
      />
      <Button
        variant="solid"
        icon={<Upload size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {text('install.open')}
      </Button>
    </>
  );
}

/**
 * Skills are installed from the files of a thread, so the archive gets a thread for as long as that takes. The gateway leaves out
 * an upload whose name is not safe, and says no more; `unsafeName` is the message for that.
 */
async function uploadSkill(archive: File, unsafeName: string): Promise<void> {
  const { thread_id } = await gateway.call(createThread, { body: {} });
  try {
    const [uploaded] = await uploadToThread(thread_id, [archive]);
    if (!uploaded) throw new Error(unsafeName);
    await gateway.call(installSkill, { body: { thread_id, path: uploaded.virtual_path } });
  } finally {
    await gateway.call(deleteThread, { params: { thread_id } });
  }
}

function Lists({ list: { skills, broken } }: { list: SkillList }) {
  const text = useText('skills');
  const { said } = useGatewayWords();
  const part = (category: Skill['category']) => skills.filter((skill) => skill.category === category);
  return (
    <div className="flex flex-col gap-6">
      {(['custom', 'public'] as const).map(
        (category) =>
          part(category).length > 0 && (
            <section key={category}>
              <h2 className="border-b border-border pb-1 text-lead font-semibold">
                {text(`category.${category}`)}
              </h2>
              <ul>
                {part(category).map((skill) => (
                  <SkillRow key={skill.name} skill={skill} />
                ))}
              </ul>
            </section>
          ),
      )}
      {broken.length > 0 && (
        <section>
          <h2 className="border-b border-border pb-1 text-lead font-semibold">{text('broken')}</h2>
          <ul>
            {broken.map(({ name, reason, sentences }) => (
              <li key={name} {...rowMarks(name)} className={`border-b border-border py-2 ${rowRing}`}>
                <p className="flex flex-wrap items-center gap-3">
                  <span className="font-medium">{name}</span>
                  <StatusWord kind="failed">{text('unusable')}</StatusWord>
                </p>
                <p className="text-table break-words text-text-2">{said({ message: reason, sentences })}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** A skill with its switch; users see its state instead. */
function SkillRow({ skill: { name, description, enabled } }: { skill: Skill }) {
  const text = useText('skills');
  const { act } = useAct();
  const { isAdmin } = useSession();
  const hint = useCommandHint(
    enabled ? `switchyard skills disable ${name}` : `switchyard skills enable ${name}`,
  );
  const turn = (on: boolean) =>
    void act(() => gateway.call(switchSkill, { params: { skill_name: name }, body: { enabled: on } }), {
      refresh: [skillsKey],
    });
  return (
    <li
      {...rowMarks(name)}
      className={`flex items-start justify-between gap-4 border-b border-border py-2 ${rowRing}`}
    >
      <div className="min-w-0">
        <RowLink
          href={`/skills/${name}`}
          command={`switchyard skills show ${name}`}
          className="font-medium text-accent underline"
        >
          {name}
        </RowLink>
        <p className="max-w-[48rem] text-table break-words text-text-2">{description}</p>
      </div>
      {isAdmin ? (
        <span {...hint}>
          <Switch hideLabel label={text('enabledOf', { name })} checked={enabled} onChange={turn} />
        </span>
      ) : (
        <StatusWord kind={enabled ? 'done' : 'off'}>{text(enabled ? 'on' : 'off')}</StatusWord>
      )}
    </li>
  );
}
