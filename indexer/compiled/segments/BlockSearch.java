package boilersweep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** Reads much of an index in one call. All numbers are little-endian, of four bytes each. */
public final class BlockSearch {
  private static ByteBuffer buffer(long bytes) {
    return ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Return the length of each document's value, then all values.
   *
   * <p>A deleted document has length 0, one without a value -1.
   */
  public static byte[] values(LeafReader reader, String field) throws IOException {
    int documents = reader.maxDoc();
    ByteBuffer lengths = buffer(4L * documents);
    byte[] values = new byte[64 * documents];
    int end = 0;
    Bits live = reader.getLiveDocs();
    BinaryDocValues found = reader.getBinaryDocValues(field);
    for (int document = 0; document < documents; document++) {
      if (live != null && !live.get(document)) {
        lengths.putInt(0);
      } else if (found == null || !found.advanceExact(document)) {
        lengths.putInt(-1);
      } else {
        BytesRef value = found.binaryValue();
        if (end + value.length > values.length) {
          values = Arrays.copyOf(values, Math.max(2 * values.length, end + value.length));
        }
        System.arraycopy(value.bytes, value.offset, values, end, value.length);
        end += value.length;
        lengths.putInt(value.length);
      }
    }
    ByteBuffer out = buffer(4L * documents + end);
    return out.put(lengths.array()).put(values, 0, end).array();
  }

  /** Return a document and a position for every occurrence of a term. */
  public static byte[] positions(LeafReader reader, String field, byte[] term) throws IOException {
    Terms terms = reader.terms(field);
    TermsEnum found = terms == null ? null : terms.iterator();
    if (found == null || !found.seekExact(new BytesRef(term))) {
      return new byte[0];
    }
    ByteBuffer out = buffer(8 * found.totalTermFreq());
    PostingsEnum postings = found.postings(null, PostingsEnum.POSITIONS);
    while (postings.nextDoc() != PostingsEnum.NO_MORE_DOCS) {
      for (int left = postings.freq(); left > 0; left--) {
        out.putInt(postings.docID()).putInt(postings.nextPosition());
      }
    }
    return out.array();
  }

  /**
   * Return the scores of a term's documents, each a float.
   *
   * @param boost how often the query has the term
   * @param documents the number of documents of the collection, and tokens: that of its tokens
   * @param occurrences how often the term occurs
   * @param tf how often each document has the term
   * @param codes of the documents' lengths, a byte each
   */
  public static byte[] scores(
      Similarity similarity,
      float boost,
      long documents,
      long tokens,
      byte[] term,
      long occurrences,
      byte[] tf,
      byte[] codes) {
    Similarity.SimScorer scorer =
        similarity.scorer(
            boost,
            new CollectionStatistics("contents", documents, documents, tokens, documents),
            new TermStatistics(new BytesRef(term), codes.length, occurrences));
    ByteBuffer counts = ByteBuffer.wrap(tf).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer out = buffer(tf.length);
    for (byte code : codes) {
      out.putFloat(scorer.score(counts.getInt(), code));
    }
    return out.array();
  }
}
