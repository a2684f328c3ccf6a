export const isLong = process.env.HOLDFAST_LONG !== undefined;

/**
 * How many rounds a test runs that kills or races at random. `npm test` meets each kind of moment; `npm run test:long` looks for the rare
 * ones.
 */
export const rounds = (usual: number, long: number): number => (isLong ? long : usual);
