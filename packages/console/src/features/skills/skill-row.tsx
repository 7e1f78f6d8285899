import { type Skill, switchSkill } from '@switchyard/contract/conversation/skill';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { StatusWord } from '../../kit/status-word.tsx';
import { Switch } from '../../kit/switch.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { skillsKey } from './skills-query.ts';

/** A skill with its switch; users see its state instead. */
export function SkillRow({ skill: { name, description, enabled } }: { skill: Skill }) {
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
