import type { Structure } from '../../../domain/structure/structure.ts'
import { pathWith } from '../../layout/parts.ts'
import { cardId } from './texts.ts'

/** A survey with at most this many questions and pages is shown as a whole. */
const MAX_QUESTIONS_SHOWN = 200
const MAX_PAGES_SHOWN = 50
/** Number of cards that the builder shows of a larger survey. */
const WINDOW_CARDS = 100

/**
 * The cards that the builder shows of a large survey: the questions of one page from a position on. The other pages are
 * a list of links.
 */
export interface CardWindow {
  /** Position of the page, from 0. */
  page: number
  /** Positions of the questions on the page, from 0; `to` is not included. */
  from: number
  to: number
}

const isLarge = ({ form }: Structure): boolean =>
  form.length > MAX_PAGES_SHOWN || form.reduce((sum, { children }) => sum + children.length, 0) > MAX_QUESTIONS_SHOWN

const within = (value: number, max: number): number => (Number.isInteger(value) ? Math.max(0, Math.min(value, max)) : 0)

/** Returns the window that contains a position on a page. */
function windowAt({ form }: Structure, page: number, position: number): CardWindow {
  const shown = within(page, form.length - 1)
  const count = form[shown]?.children.length ?? 0
  const from = within(position - (position % WINDOW_CARDS), Math.max(0, count - 1))
  return { page: shown, from, to: Math.min(count, from + WINDOW_CARDS) }
}

/**
 * Returns the window that a query names (`page`, from 1, and `from`); undefined for a survey that is shown as a whole.
 */
export const windowIn = (structure: Structure, query: URLSearchParams): CardWindow | undefined =>
  isLarge(structure)
    ? windowAt(
        structure,
        Number(query.get('page') ?? 1) - 1,
        within(Number(query.get('from') ?? 0), Number.MAX_SAFE_INTEGER),
      )
    : undefined

/** Returns the path of the builder that shows a window, or a survey as a whole. */
export const windowPath = (root: string, window: CardWindow | undefined): string =>
  pathWith(`${root}edit/`, window ? { page: window.page + 1, from: window.from || undefined } : {})

/** Returns the path of the builder that shows a position of a page, both from 0. */
export const builderPath = (root: string, structure: Structure, page: number, position = 0): string =>
  windowPath(root, isLarge(structure) ? windowAt(structure, page, position) : undefined)

/** Returns the address of a page in the builder, with the fragment to which the browser scrolls. */
export const pageAddress = (root: string, structure: Structure, page: number): string =>
  `${builderPath(root, structure, page)}#page-${page + 1}`

/** Returns the address of the card of a question, with the fragment to which the browser scrolls. */
export function cardAddress(root: string, structure: Structure, id: string): string {
  const page = structure.form.findIndex(({ children }) => children.some((question) => question.id === id))
  const position = structure.form[page]?.children.findIndex((question) => question.id === id)
  return `${builderPath(root, structure, page, position)}#${cardId(id)}`
}

/** Returns the address of the form for the filters of the choices of a question. */
export const filterPath = (root: string, id: string, by?: string): string => pathWith(`${root}edit/filter/`, { id, by })
