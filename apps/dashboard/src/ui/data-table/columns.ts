import type { ReactNode } from 'react';

/** A column of a list. */
export interface Column<T> {
  readonly id: string;
  readonly header: string;
  /** `index` is the position of the row in the list, from 0. */
  readonly cell: (row: T, index: number) => ReactNode;
  /** A second line of the cell on screens below 768 px, for columns that they do not show. */
  readonly below?: (row: T) => ReactNode;
  /** The value in a CSV file: exact, without the reader's format. */
  readonly csv: (row: T) => string | number | boolean | null | undefined;
  /** Aligns the figures at the right. */
  readonly isNumeric?: boolean;
  /** The sort field of the API. */
  readonly sort?: string;
  /** The screens that show the column: `always`, from 768 px, or from 1,280 px. */
  readonly from?: 'always' | 'md' | 'xl';
  /** Hidden until the reader chooses it. */
  readonly isOptional?: boolean;
  /** No part of a CSV file: it holds buttons, or what is old before the file is opened. */
  readonly isScreenOnly?: boolean;
}

/** A filter of a list, whose values are those of the API. */
export interface Filter {
  /** The query parameter of the API, and of the page. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** What the reader has asked a list for. */
export type ListRequest = Readonly<Record<string, string>>;
