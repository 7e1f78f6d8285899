import { describe, expect, it } from 'vitest';
import { hitlForClients, hitlForGraph } from './hitl-casing.ts';

describe('a request for a decision', () => {
  const request = {
    actionRequests: [{ name: 'send', args: {} }],
    reviewConfigs: [{ actionName: 'send', allowedDecisions: ['approve'] }],
  };

  it('is sent in both casings', () => {
    const config = { ...request.reviewConfigs[0], action_name: 'send', allowed_decisions: ['approve'] };
    expect(hitlForClients(request)).toEqual({
      actionRequests: request.actionRequests,
      action_requests: request.actionRequests,
      reviewConfigs: [config],
      review_configs: [config],
    });
  });

  it.each([{ actionRequests: [] }, { actionRequests: 'x', reviewConfigs: [] }, { question: '?' }])(
    'is not seen in %j',
    (record) => {
      expect(hitlForClients(record)).toBe(record);
    },
  );
});

describe('an answer', () => {
  const clients = { decisions: [{ type: 'edit', edited_action: { name: 'send' } }, { type: 'approve' }] };
  const graphs = {
    decisions: [
      { type: 'edit', edited_action: { name: 'send' }, editedAction: { name: 'send' } },
      { type: 'approve' },
    ],
  };

  it('arrives with the names that the graph reads', () => {
    expect(hitlForGraph(clients)).toEqual(graphs);
  });

  it('arrives so for each interrupt that it answers', () => {
    expect(hitlForGraph({ i1: clients, i2: 'yes' })).toEqual({ i1: graphs, i2: 'yes' });
  });

  it('keeps what the client wrote in the graph’s own casing', () => {
    const both = { decisions: [{ editedAction: 1, edited_action: 2 }] };
    expect(hitlForGraph(both)).toEqual(both);
  });

  it.each(['yes', false, null, [1], { a: 1 }])('of another kind stays as it is: %j', (answer) => {
    expect(hitlForGraph(answer)).toBe(answer);
  });
});
