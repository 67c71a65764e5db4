// What tests import from @jest/globals: the same functions as in Jest's own runner, loaded once a process.
import { jestExpect } from '@jest/expect'
import { ModuleMocker } from 'jest-mock'

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus'
export const expect = jestExpect

const mocker = new ModuleMocker(globalThis)
const spyOn = mocker.spyOn.bind(mocker) as (object: object, name: PropertyKey) => { mockRestore(): void }
/** The functions that are replaced by a spy at the moment. */
const spies = new Set<{ mockRestore(): void }>()

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn(object: object, name: PropertyKey) {
    const spy = spyOn(object, name)
    const { mockRestore } = spy
    spy.mockRestore = () => {
      spies.delete(spy)
      mockRestore.call(spy)
    }
    spies.add(spy)
    return spy
  },
  /** Restores all spied functions, and returns how many there were. */
  restoreSpies(): number {
    const { size } = spies
    for (const spy of [...spies]) spy.mockRestore()
    return size
  },
}
