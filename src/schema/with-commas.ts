/** `1,234,567`, for whole numbers. Unlike `toLocaleString`, it loads no tables of locales (see own-zone.ts). */
export const withCommas = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
