/** The form of decimals in responses: `number` is exact to 15 digits; `string` is always exact. */
export type DecimalForm = 'number' | 'string';

/** A decimal in a response, in the form `D`. */
export type DecimalOf<D extends DecimalForm> = D extends 'string' ? string : number;

/** A decimal in a request. A string avoids floating-point rounding. */
export type DecimalInput = number | string;
