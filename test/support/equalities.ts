/**
 * A value that a statement compares: a column of a row source, or `one`. All parameters and constants are represented
 * by `one`, because each of them has one value in all rows.
 */
export type Term = string
export const ONE: Term = 'one'

/** The equalities that hold in every row of a statement. */
export class Equalities {
  readonly #parents = new Map<Term, Term>()

  equate(a: Term, b: Term): void {
    const [from, to] = [this.#root(a), this.#root(b)]
    if (from !== to) this.#parents.set(from, to)
  }

  /** Returns whether a term has the same value as a parameter or constant in every row. */
  isOne(term: Term): boolean {
    return this.#root(term) === this.#root(ONE)
  }

  #root(term: Term): Term {
    const parent = this.#parents.get(term)
    return parent === undefined ? term : this.#root(parent)
  }
}
