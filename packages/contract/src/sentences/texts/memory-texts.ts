/** A memory that cannot be changed or imported. */
export const memoryTexts = {
  facts_same_id: "Two facts have the id '{id}'.",
  memory_room: 'A memory holds at most {count} facts. Delete some first.',
} as const;
