import type { SubagentSettings } from './subagents/subagent-settings.ts';
import type { SummarizationSettings } from './summarization.ts';
import type { TitleSettings } from './thread-title.ts';

/** How the lead agent goes about a turn, beside its model. */
export interface TurnSettings {
  title: TitleSettings;
  summarization: SummarizationSettings;
  /** Absent for none. */
  subagents?: SubagentSettings;
}
