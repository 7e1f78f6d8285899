import { getSkillHistory, rollBackSkill, type SkillChange } from '@switchyard/contract/conversation/skill';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { skillsKey } from './skills-query.ts';

/** What was changed in a skill, the newest first. The text from before each change can be put back. */
export function SkillHistory({ name }: { name: string }) {
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
