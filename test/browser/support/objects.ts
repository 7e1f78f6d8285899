import type { HttpSession } from '@switchyard/dev-env/http-session';
import { longGraph } from './fleet.ts';

/** Makes a task, a workflow and a conversation, and returns the addresses of their pages. */
export async function makeObjects(admin: HttpSession): Promise<string[]> {
  const task = await admin.post<{ data: { id: string } }>('/api/tasks', { workflow: longGraph(3) });
  const workflow = await admin.post<{ data: { id: string } }>('/api/workflows', {
    name: 'Long',
    workflow: longGraph(3),
  });
  const { thread_id: thread } = await admin.post<{ thread_id: string }>('/api/threads', {});
  const input = { messages: [{ role: 'user', content: 'invert a picture' }] };
  const run = await admin.post<{ run_id: string }>(`/api/threads/${thread}/runs`, { input });
  await admin.get(`/api/threads/${thread}/runs/${run.run_id}/join`);
  return [
    `/tasks/${task.data.id}`,
    `/workflows/${workflow.data.id}`,
    `/chat/${thread}`,
    `/runs/${thread}/${run.run_id}`,
    `/runs/${thread}/${run.run_id}?view=events`,
  ];
}
