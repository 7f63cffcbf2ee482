/** Rounds of each fault of a sealer: two in `npm test`, twenty in `npm run faults`. */
export const SEALER_ROUNDS = Number(process.env.SHOEPRINT_FAULTS_ROUNDS ?? 2);
