import type { Graph } from '@switchyard/contract/conversation/graphs';
import { listGraphs } from '@switchyard/contract/conversation/graphs';
import type { AgentRuntime } from '../../agents/create-agents.ts';
import { shown } from '../../agents/loading/load-agent-fault.ts';
import type { Routes } from '../../http/app.ts';

type GraphRoutesOptions = Pick<AgentRuntime, 'agents' | 'otherFaults'>;

export function graphRoutes({ agents, otherFaults }: GraphRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...listGraphs,
      handler: async () => {
        const described = await agents.describeAll();
        const graphs = described.map(({ graphId, assistantId, description, fault }): Graph => {
          const place = agents.placeOf(graphId);
          const loaded = place === null ? 'built_in' : 'loaded';
          return {
            graph_id: graphId,
            assistant_id: assistantId,
            description,
            file: place && shown(place.file, place.cwd),
            export: place?.exportName ?? null,
            state: fault ? 'refused' : loaded,
            fault: fault?.message ?? null,
          };
        });
        return { graphs, faults: await otherFaults() };
      },
    });
  };
}
