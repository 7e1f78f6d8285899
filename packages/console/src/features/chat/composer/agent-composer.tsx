import { useQuery } from '@tanstack/react-query';
import { QueryView } from '../../../kit/query-view.tsx';
import { assistantSchemasQuery } from '../../../lib/data/assistants.ts';
import { lazyPart, useLazyPart } from '../../../lib/lazy-part.ts';
import type { ChosenAgent } from '../use-agent-choice.ts';
import { AgentMenu } from './agent-menu.tsx';
import { Composer } from './composer.tsx';
import type { GraphComposerProps } from './graph-form.tsx';

/** Most conversations need no forms, so their code comes with the first graph. */
const graphForm = lazyPart(async () => (await import('./graph-form.tsx')).GraphForm);

interface AgentComposerProps extends Omit<GraphComposerProps, 'choice' | 'onChoice' | 'graph'> {
  agent: ChosenAgent;
}

/** The input for an agent: a message, or the form of a graph that takes something else. */
export function AgentComposer({ agent, isFollowUp, onSend, onRun, ...rest }: AgentComposerProps) {
  const { choice, onChoice, graph, isSettled } = agent;
  const composer = { ...rest, choice, onChoice };
  if (graph === null) return <Composer {...composer} onSend={() => onSend({})} />;
  return (
    <GraphComposer
      key={graph.named}
      {...composer}
      isFollowUp={isFollowUp}
      isSettled={isSettled}
      graph={graph}
      onSend={onSend}
      onRun={onRun}
    />
  );
}

function GraphComposer({ isSettled, ...props }: GraphComposerProps & Pick<ChosenAgent, 'isSettled'>) {
  const { graph, choice, onChoice } = props;
  const schemas = useQuery(assistantSchemasQuery(graph.named));
  const GraphForm = useLazyPart(graphForm);
  if (schemas.data && GraphForm && isSettled) return <GraphForm {...props} schemas={schemas.data} />;
  return (
    <div className="flex flex-col gap-2 rounded-card border border-control bg-surface p-2">
      <QueryView query={schemas}>{() => null}</QueryView>
      <AgentMenu choice={choice} onChoice={onChoice} />
    </div>
  );
}
