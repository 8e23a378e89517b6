export {
  CURSOR_LENGTH_MAX,
  type CursorBinding,
  type CursorCodec,
  type CursorPosition,
  createCursorCodec,
  cursorScope,
  InvalidCursor,
  type Mac,
  type SortOrder,
} from './cursor.js';
export { type KeysetColumns, keysetOrder, keysetPredicate } from './keyset.js';
export {
  LIMIT_MAX,
  type ListQuery,
  type ListQueryOptions,
  listQuerySchema,
  OFFSET_MAX,
} from './list-query.js';
export {
  type FetchPage,
  type Page,
  type PageWithCursors,
  type Pagination,
  paginate,
  paginationSchema,
} from './page.js';
