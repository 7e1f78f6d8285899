import { expect, test } from 'vitest';
import { CloseStack } from './close-stack.ts';

test('closes in reverse order, and closes nothing twice', async () => {
  const closed: string[] = [];
  const stack = new CloseStack();
  for (const name of ['database', 'bus', 'accounts']) stack.add(() => void closed.push(name));
  await stack.close();
  await stack.close();
  expect(closed).toEqual(['accounts', 'bus', 'database']);
});

test('closes the rest when one resource fails to close, and throws that failure', async () => {
  const closed: string[] = [];
  const stack = new CloseStack();
  stack.add(() => void closed.push('database'));
  stack.add(() => Promise.reject(new Error('bus is stuck')));
  await expect(stack.close()).rejects.toThrow('bus is stuck');
  expect(closed).toEqual(['database']);
});

test('names every failure when there are several', async () => {
  const stack = new CloseStack();
  stack.add(() => Promise.reject(new Error('one')));
  stack.add(() => {
    throw new Error('two');
  });
  await expect(stack.close()).rejects.toMatchObject({
    errors: [expect.objectContaining({ message: 'two' }), expect.objectContaining({ message: 'one' })],
  });
});
