/** So many that came alone end a crowd: where it comes and goes, work does not move to and fro. */
const loneOnesThatEndIt = 100;

/** Knows whether units come at the same time lately. */
export class Crowd {
  #present = 0;
  #lone = loneOnesThatEndIt;

  /** `work` is told whether it is one of many. */
  async join<Result>(work: (isCrowded: boolean) => Promise<Result>): Promise<Result> {
    this.#lone = this.#present > 0 ? 0 : this.#lone + 1;
    this.#present += 1;
    try {
      return await work(this.#lone < loneOnesThatEndIt);
    } finally {
      this.#present -= 1;
    }
  }
}
