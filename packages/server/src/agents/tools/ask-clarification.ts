import { ToolMessage } from '@langchain/core/messages';
import { type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { z } from 'zod';
import { clarificationId, clarificationRequest, clarificationTool } from './clarification-request.ts';
import { toolCallIdOf } from './tool-call-id.ts';

const icons = {
  missing_info: '❓',
  ambiguous_requirement: '🤔',
  approach_choice: '🔀',
  risk_confirmation: '⚠️',
  suggestion: '💡',
} as const;

const clarification = z.object({
  question: z.string().min(1).describe('What the user is asked.'),
  clarification_type: z
    .enum(Object.keys(icons) as [keyof typeof icons, ...(keyof typeof icons)[]])
    .default('missing_info'),
  context: z.string().optional().describe('Why it has to be asked.'),
  options: z.array(z.string()).max(20).optional().describe('Answers to choose from.'),
});

/** Ends the turn. The question stands in the conversation, and the user's next message answers it. */
export const askClarificationTool = tool(
  (asked, config: ToolRunnableConfig) => {
    const toolCallId = toolCallIdOf(config);
    return new ToolMessage({
      id: clarificationId(toolCallId),
      content: questionText(asked),
      name: clarificationTool,
      tool_call_id: toolCallId,
      status: 'success',
      artifact: { human_input: clarificationRequest(toolCallId, asked) },
    });
  },
  {
    name: clarificationTool,
    description:
      'Asks the user a question and ends your turn. Use it alone, when you cannot go on without an answer or before something that cannot be undone.',
    schema: clarification,
    returnDirect: true,
  },
);

function questionText(asked: z.infer<typeof clarification>): string {
  const { question, clarification_type: type, context, options = [] } = asked;
  const lead = context ? `${icons[type]} ${context}\n\n${question}` : `${icons[type]} ${question}`;
  const choices = options.map((option, index) => `  ${index + 1}. ${option}`);
  return choices.length > 0 ? `${lead}\n\n${choices.join('\n')}` : lead;
}
