/** How decimals of answers are read: as numbers, which hold 15 digits, or as text, which loses none. */
export type DecimalForm = 'number' | 'string';

/** A decimal of an answer, as the client was told to read it. */
export type DecimalOf<D extends DecimalForm> = D extends 'string' ? string : number;

/** A decimal of a request: text is safe from every double. */
export type DecimalInput = number | string;
