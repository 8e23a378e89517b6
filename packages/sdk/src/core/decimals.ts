/** How decimals in responses are read: as numbers, exact to 15 digits, or as strings, always exact. */
export type DecimalForm = 'number' | 'string';

/** A decimal in a response, in the form that the client reads. */
export type DecimalOf<D extends DecimalForm> = D extends 'string' ? string : number;

/** A decimal in a request. A string avoids floating-point rounding. */
export type DecimalInput = number | string;
