import { ReducedValue, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

export const todo = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});

export const uploadedFile = z.object({
  filename: z.string(),
  size: z.number(),
  path: z.string(),
  extension: z.string(),
});

const viewedImage = z.object({ base64: z.string(), mime_type: z.string() });
type ViewedImages = Record<string, z.infer<typeof viewedImage>>;

/** The channels of a conversation besides `messages`, which every agent has. */
export const threadState = new StateSchema({
  title: z.string().nullable().optional(),
  /** Virtual paths of files that were made for the user, in the order in which they were made. */
  artifacts: new ReducedValue(z.array(z.string()).default([]), { reducer: union }),
  todos: z.array(todo).nullable().optional(),
  /** Files that the user has put into the thread, as the last turn found them. */
  uploaded_files: z.array(uploadedFile).nullable().optional(),
  /**
   * Pictures that the next call of the model shows, by their virtual paths. Their bytes stay on the disk, and `base64` is empty.
   * An empty record removes all of them.
   */
  viewed_images: new ReducedValue(z.record(z.string(), viewedImage).default({}), { reducer: merged }),
  /** Virtual paths only: paths on the disk are never shown. */
  thread_data: z
    .object({ workspace_path: z.string(), uploads_path: z.string(), outputs_path: z.string() })
    .nullable()
    .optional(),
});

function union(present: string[], added: string[]): string[] {
  return [...new Set([...present, ...added])];
}

function merged(present: ViewedImages, viewed: ViewedImages): ViewedImages {
  return Object.keys(viewed).length === 0 ? {} : { ...present, ...viewed };
}
