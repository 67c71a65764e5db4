import fc from 'fast-check'

// The seed is fixed, so that all test runs of a commit test the same values. Set PROPERTY_SEED to another number to
// test other values.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261122) })

export default fc
