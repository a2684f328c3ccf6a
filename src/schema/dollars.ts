/** `$1.54`; a cost under ten cents has four digits. */
export const dollars = (cost: number): string => `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
