package boilersweep;

import org.apache.lucene.index.BaseTermsEnum;
import org.apache.lucene.index.ImpactsEnum;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.util.BytesRef;

/** The postings of one field in arrays, to be read once from the first term to the last. */
final class Postings extends Terms {
  private final CountedBatch.Strings terms;
  private final int[] order;
  private final int[] starts;
  private final int[] documents;
  private final int[] frequencies;

  /**
   * @param order numbers of the terms as they come; null: as they are numbered
   * @param starts term i of that order has the documents from starts[i] to starts[i + 1]; one
   *     without documents is left out
   * @param frequencies null: there are none
   */
  Postings(
      CountedBatch.Strings terms, int[] order, int[] starts, int[] documents, int[] frequencies) {
    this.terms = terms;
    this.order = order;
    this.starts = starts;
    this.documents = documents;
    this.frequencies = frequencies;
  }

  @Override
  public TermsEnum iterator() {
    return new Each();
  }

  @Override
  public long size() {
    return -1;
  }

  @Override
  public long getSumTotalTermFreq() {
    throw new UnsupportedOperationException();
  }

  @Override
  public long getSumDocFreq() {
    return documents.length;
  }

  @Override
  public int getDocCount() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean hasFreqs() {
    return frequencies != null;
  }

  @Override
  public boolean hasOffsets() {
    return false;
  }

  @Override
  public boolean hasPositions() {
    return false;
  }

  @Override
  public boolean hasPayloads() {
    return false;
  }

  private final class Each extends BaseTermsEnum {
    private final BytesRef term = new BytesRef(terms.bytes, 0, 0);
    private int place = -1;

    @Override
    public BytesRef next() {
      do {
        if (++place == starts.length - 1) {
          return null;
        }
      } while (starts[place] == starts[place + 1]);
      int number = order == null ? place : order[place];
      term.offset = terms.start(number);
      term.length = terms.end(number) - term.offset;
      return term;
    }

    @Override
    public BytesRef term() {
      return term;
    }

    @Override
    public int docFreq() {
      return starts[place + 1] - starts[place];
    }

    @Override
    public long totalTermFreq() {
      throw new UnsupportedOperationException();
    }

    @Override
    public PostingsEnum postings(PostingsEnum reuse, int flags) {
      Documents those = reuse instanceof Documents ? (Documents) reuse : new Documents();
      those.begin(starts[place], starts[place + 1]);
      return those;
    }

    @Override
    public ImpactsEnum impacts(int flags) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SeekStatus seekCeil(BytesRef text) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void seekExact(long ord) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long ord() {
      throw new UnsupportedOperationException();
    }
  }

  private final class Documents extends PostingsEnum {
    private int start;
    private int end;
    private int place;

    void begin(int from, int to) {
      start = from;
      end = to;
      place = from - 1;
    }

    @Override
    public int docID() {
      return place < start ? -1 : place < end ? documents[place] : NO_MORE_DOCS;
    }

    @Override
    public int nextDoc() {
      place++;
      return docID();
    }

    @Override
    public int advance(int target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long cost() {
      return end - start;
    }

    @Override
    public int freq() {
      return frequencies == null ? 1 : frequencies[place];
    }

    @Override
    public int nextPosition() {
      return -1;
    }

    @Override
    public int startOffset() {
      return -1;
    }

    @Override
    public int endOffset() {
      return -1;
    }

    @Override
    public BytesRef getPayload() {
      return null;
    }
  }
}
