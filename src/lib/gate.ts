/** Lets a number of holders in at once; the others wait in line. */
export class Gate {
  #free: number
  readonly #line: (() => void)[] = []

  /** How many wait in line. */
  get waiting(): number {
    return this.#line.length
  }

  constructor(places: number) {
    this.#free = places
  }

  /**
   * Waits for a place.
   * @returns gives the place back; further calls do nothing. Undefined when none came free within so many milliseconds.
   */
  enter(patience: number): Promise<(() => void) | undefined> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve(this.#place())
    }
    return new Promise((resolve) => {
      const next = () => {
        clearTimeout(timer)
        resolve(this.#place())
      }
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(next), 1)
        resolve(undefined)
      }, patience)
      this.#line.push(next)
    })
  }

  #place(): () => void {
    let held = true
    return () => {
      if (!held) return
      held = false
      const next = this.#line.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
